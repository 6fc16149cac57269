/** Length of the longest end of a text that may become one of the marks. */
export function longestBeginning(text: string, marks: readonly string[]): number {
  let longest = 0
  for (const mark of marks)
    for (let length = Math.min(mark.length - 1, text.length); length > longest; length--)
      if (text.endsWith(mark.slice(0, length))) longest = length
  return longest
}
