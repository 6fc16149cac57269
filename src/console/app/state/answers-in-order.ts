/**
 * Prevents a late answer from replacing a newer one. Call it when a request is sent, and call the returned function when it is answered: it
 * returns true unless a later request was answered first.
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
