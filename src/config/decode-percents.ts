/** What percent signs stand for; a text that has others is meant as it is. */
export function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
