{ lib, stdenvNoCC, fetchurl, makeWrapper, nodejs }:

let
  jiti = fetchurl {
    url = "https://registry.npmjs.org/jiti/-/jiti-{{jiti}}.tgz";
    hash = "{{jitiIntegrity}}";
  };
in
stdenvNoCC.mkDerivation {
  pname = "pi-ctx";
  version = "{{version}}";

  src = fetchurl {
    url = "{{url}}";
    hash = "{{integrity}}";
  };

  nativeBuildInputs = [ makeWrapper ];

  # The package is built; jiti loads configurations and plugins in TypeScript.
  installPhase = ''
    mkdir -p $out/lib/pi-ctx/node_modules/jiti
    cp -r . $out/lib/pi-ctx
    tar -xzf ${jiti} --strip-components=1 -C $out/lib/pi-ctx/node_modules/jiti
    makeWrapper ${nodejs}/bin/node $out/bin/ctx --add-flags $out/lib/pi-ctx/bin/ctx.js
    install -D docs/man/ctx.1 $out/share/man/man1/ctx.1
  '';

  meta = {
    description = "{{description}}";
    homepage = "{{homepage}}";
    license = lib.licenses.mit;
    mainProgram = "ctx";
  };
}
