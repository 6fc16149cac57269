export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'break' }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong'; readonly text: string }
  | { readonly type: 'emphasis'; readonly text: string }
  | { readonly type: 'link'; readonly text: string; readonly href: string }

const marks =
  /(?<code>`[^`\n]+`)|(?<strong>\*\*[^*\n]+\*\*)|(?<emphasis>\*[^*\s][^*\n]*\*)|(?<link>\[[^\]\n]+\]\(https?:\/\/[^)\s]+\))|(?<break>\n)/g

/** Splits a paragraph at its marks; links other than to the web stay plain text. */
export function parseInline(text: string): readonly Inline[] {
  const parts: Inline[] = []
  let end = 0
  for (const match of text.matchAll(marks)) {
    if (match.index > end) parts.push({ type: 'text', text: text.slice(end, match.index) })
    parts.push(markOf(match[0], match.groups ?? {}))
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push({ type: 'text', text: text.slice(end) })
  return parts
}

function markOf(raw: string, groups: Readonly<Record<string, string | undefined>>): Inline {
  if (groups.code) return { type: 'code', text: raw.slice(1, -1) }
  if (groups.strong) return { type: 'strong', text: raw.slice(2, -2) }
  if (groups.emphasis) return { type: 'emphasis', text: raw.slice(1, -1) }
  if (groups.link) {
    const middle = raw.indexOf('](')
    return { type: 'link', text: raw.slice(1, middle), href: raw.slice(middle + 2, -1) }
  }
  return { type: 'break' }
}
