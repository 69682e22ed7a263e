// pi-ai builds its configuration schemas while it loads, so the builders must exist; nothing here validates with them.
const schema = () => ({});

export {
  schema as arr,
  schema as bool,
  schema as int,
  schema as nul,
  schema as num,
  schema as obj,
  schema as oneOf,
  schema as opt,
  schema as str,
  schema as union,
};

export const formats = {};

export function compile() {
  throw new Error('the pi-schema stand-in cannot validate');
}
