/** As often as one count of a grammar may repeat something. */
const mostAtOnce = 1000
/** Nothing that an answer holds comes more often. */
export const mostAtAll = 1_000_000

/**
 * GBNF for something again and again, as often as a schema may ask for; counts of more than a thousand are counts of thousands.
 *
 * @param rule A name, or something in parentheses or brackets.
 * @param most null = any number.
 */
export function repeated(rule: string, least: number, most: number | null): string {
  if (least > mostAtOnce) {
    const [thousands, rest] = [Math.floor(least / mostAtOnce), least % mostAtOnce]
    const begin = `(${rule}{${mostAtOnce}}){${thousands}}`
    return `${begin} ${repeated(rule, rest, most === null ? null : most - thousands * mostAtOnce)}`
  }
  if (most === null || most > mostAtAll) return `${rule}{${least},}`
  if (most <= mostAtOnce) return `${rule}{${least},${most}}`
  const optional = most - least
  const thousands = Math.floor(optional / mostAtOnce) - 1
  const begin = least === 0 ? '' : `${rule}{${least}} `
  if (thousands < 1) return `${begin}${rule}{0,${optional}}`
  return `${begin}(${rule}{${mostAtOnce}}){0,${thousands}} ${rule}{0,${optional - thousands * mostAtOnce}}`
}
