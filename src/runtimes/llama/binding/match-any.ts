/** A global pattern that matches any of these texts, earlier ones first. */
export function matchAny(texts: readonly string[]): RegExp {
  return new RegExp(texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g')
}
