/**
 * Keeps an answer that comes late from taking the place of a newer one. Call it when something is asked, and what it returns when that
 * is answered: true unless something that was asked later has been answered already.
 */
export function answersInOrder(): () => () => boolean {
  let latest = 0
  let newest = 0
  return () => {
    const turn = ++latest
    return () => {
      if (turn < newest) return false
      newest = turn
      return true
    }
  }
}
