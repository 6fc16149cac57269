/** Bytes that a document may have when unpacked. */
const maxBytes = 50_000_000

/** The text of a Word document, or what keeps it from being read: `unknown` = it is none, `large` = it unpacks to too many bytes. */
export type WordReading = { readonly text: string } | { readonly hindrance: 'unknown' | 'large' }

/** Reads the text of a Word document (.docx), one paragraph a line, cells separated by tabs. */
export async function readWord(bytes: Uint8Array<ArrayBuffer>): Promise<WordReading> {
  // Word in the browser numbers it.
  const unpacked = await unpack(bytes, /^word\/document\d*\.xml$/)
  return 'text' in unpacked ? { text: textOf(unpacked.text) } : unpacked
}

const unknown: WordReading = { hindrance: 'unknown' }

/** Markers of ZIP: the end of its list of files, and an entry of the list. */
const [endMarker, entryMarker] = [0x06054b50, 0x02014b50]
/** The end with the longest comment, in bytes. */
const longestEnd = 22 + 0xffff

/** A file of a ZIP archive as text. */
async function unpack(bytes: Uint8Array<ArrayBuffer>, wanted: RegExp): Promise<WordReading> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - 22
  while (end >= 0 && view.getUint32(end, true) !== endMarker) end = bytes.length - end > longestEnd ? -1 : end - 1
  if (end < 0) return unknown
  let at = view.getUint32(end + 16, true)
  while (at + 46 <= end && view.getUint32(at, true) === entryMarker) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [
      number,
      number,
      number,
    ]
    if (wanted.test(new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)))) {
      const [method, size, start] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)]
      if (start + 30 > end) return unknown
      const begin = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true)
      const packed = bytes.subarray(begin, begin + size)
      if (method === 0) return { text: new TextDecoder().decode(packed) }
      return method === 8 ? await inflate(packed) : unknown
    }
    at += 46 + nameLength + extraLength + commentLength
  }
  return unknown
}

async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<WordReading> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  // Safari does not iterate over streams.
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  try {
    for (let read = await reader.read(); read.value !== undefined; read = await reader.read()) {
      size += read.value.byteLength
      if (size > maxBytes) return { hindrance: 'large' }
      text += decoder.decode(read.value, { stream: true })
    }
  } catch {
    return unknown
  } finally {
    await reader.cancel().catch(() => undefined)
  }
  return { text: text + decoder.decode() }
}

/**
 * Texts, tabs (not their stops), breaks, and ends of paragraphs, cells and rows. Deleted text has another name; a fallback repeats the text
 * before it. No part reaches over the next `<`, or a hostile document would be searched from each of its tags to its end.
 */
const pieces = /<w:t(?: [^<>]*)?>([^<]*)<\/w:t>|<w:(tab|br|cr)(?: w:(?:type|clear)="\w+")*\/>|<\/w:(p|tc|tr)>|<(\/?mc:Fallback)[ >]/g

function textOf(xml: string): string {
  const parts: string[] = []
  let repeats = false
  const end = (mark: string, instead: string) => {
    if (parts.at(-1) === instead) parts.pop()
    parts.push(mark)
  }
  for (const [, written, single, closed, fallback] of xml.matchAll(pieces)) {
    if (fallback !== undefined) repeats = fallback === 'mc:Fallback'
    else if (repeats) continue
    else if (written !== undefined) parts.push(decodeEntities(written))
    else if (closed === 'tc') end('\t', '\n')
    else if (closed === 'tr') end('\n', '\t')
    else parts.push(single === 'tab' ? '\t' : '\n')
  }
  return parts.join('').trim()
}

const entities: ReadonlyMap<string, string> = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex: string, decimal: string, name: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    if (name !== undefined) return entities.get(name) ?? whole
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
