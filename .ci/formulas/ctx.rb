class Ctx < Formula
  desc "{{description}}"
  homepage "{{homepage}}"
  url "{{url}}"
  sha256 "{{sha256}}"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec/"lib/node_modules/pi-ctx/docs/man/ctx.1"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/ctx --version").strip
  end
end
