/** What a form may hold; its bytes have the limit of their route. */
export const formLimits = {
  fieldNameSize: 100,
  /** The longest prompt, in bytes. */
  fieldSize: 128 * 1024,
  fields: 64,
  files: 20,
  parts: 80,
  headerPairs: 16,
  headerSize: 8 * 1024,
} as const
