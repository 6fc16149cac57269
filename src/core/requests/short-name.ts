import { beginning } from '../text/visible-text.ts'

const longest = 100

/** A name that a client made up, short enough to be sent back in a sentence. */
export function shortName(name: string): string {
  if (name.length <= longest) return name
  const short = beginning(name.slice(0, 2 * longest), longest)
  return short === name ? name : `${short}…`
}
