/** 24 random letters and digits. `crypto.randomUUID` is unavailable over plain HTTP. */
export function makeId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => (byte % 36).toString(36)).join('')
}
