/** A fault with what to do about it, unless it names that itself after a semicolon. */
export function withRemedy(fault: string, remedy: string): string {
  return fault.includes(';') ? fault : `${fault}; ${remedy}`
}
