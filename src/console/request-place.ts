/** Where a page of requests ended, as the query parameter `after` has it: its number, or null for what is nowhere. */
export function readRequestPlace(after: string): number | null {
  return /^\d{1,15}$/.test(after) ? Number(after) : null
}
