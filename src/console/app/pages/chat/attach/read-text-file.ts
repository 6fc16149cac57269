import type { AttachedText } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'
import type { PdfReading } from './pdf-worker.ts'
import { readWord } from './word-text.ts'

const longestBytes = 1_000_000
/** Bytes of a PDF or Word document, which is mostly pictures and fonts. */
const longestDocument = 50_000_000
const longestReadingMs = 60_000

/** A file's text, or a message about why it cannot be attached. */
type Reading = AttachedText | { readonly fault: string }

/** Reads a text file, or the text of a PDF or Word document. */
export async function readTextFile(file: File): Promise<Reading> {
  const { name } = file
  try {
    const start = new TextDecoder('latin1').decode(await file.slice(0, 1024).arrayBuffer())
    const read = start.includes('%PDF-') ? readPdf : start.startsWith('PK\x03\x04') ? readWordFile : null
    if (read !== null) return await readDocument(file, read)
    if (file.size > longestBytes) return { fault: t`${name} is larger than 1 MB; attach a part of it.` }
    const text = decodeText(await bytesOf(file))
    if (text === '') return { fault: t`${name} is empty; attach another file.` }
    if (text !== null) return { name, text }
  } catch {}
  return unknownKind(file)
}

async function readDocument(file: File, read: (file: File) => Promise<Reading>): Promise<Reading> {
  const { name } = file
  if (file.size > longestDocument) return { fault: t`${name} is larger than 50 MB; attach a part of it.` }
  const reading = await read(file)
  if ('fault' in reading) return reading
  if (reading.text === '') return { fault: t`${name} contains no text, only images; attach images of its pages.` }
  return reading.text.length > longestBytes ? { fault: t`The text of ${name} is larger than 1 MB; attach a part of it.` } : reading
}

async function readPdf(file: File): Promise<Reading> {
  const { name } = file
  const reading = await readInWorker(await bytesOf(file)).catch(() => null)
  if (reading === null) return { fault: t`The console failed. Reload the page and try again.` }
  if ('text' in reading) return { name, text: reading.text }
  switch (reading.hindrance) {
    case 'protected':
      return { fault: t`${name} is protected by a password; save it without one.` }
    case 'slow':
      return { fault: t`${name} takes too long to read; attach a part of it.` }
    case 'damaged':
      return { fault: t`${name} is damaged; save the PDF again.` }
  }
}

/** Loads the reader of PDFs, and stops it when a file takes too long. */
async function readInWorker(bytes: Uint8Array<ArrayBuffer>): Promise<PdfReading | { readonly hindrance: 'slow' }> {
  const { default: url } = await import('./pdf-worker.ts?worker&url')
  const worker = new Worker(trust(url), { type: 'module' })
  const { promise, resolve, reject } = Promise.withResolvers<PdfReading | { readonly hindrance: 'slow' }>()
  const timer = setTimeout(() => resolve({ hindrance: 'slow' }), longestReadingMs)
  const { port1: own, port2: other } = new MessageChannel()
  own.onmessage = ({ data }: MessageEvent<PdfReading>) => resolve(data)
  worker.onerror = reject
  worker.postMessage(bytes, [bytes.buffer, other])
  return await promise.finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}

/** Marks our own address as trusted, where the browser enforces the page's policy on addresses of scripts. */
function trust(url: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: { createPolicy(name: string, rules: Rules): Rules } }
  return trustedTypes?.createPolicy('workers', { createScriptURL: () => url }).createScriptURL(url) ?? url
}

interface Rules {
  createScriptURL(url: string): string
}

async function readWordFile(file: File): Promise<Reading> {
  const { name } = file
  const reading = await readWord(await bytesOf(file))
  if ('text' in reading) return { name, text: reading.text }
  if (reading.hindrance === 'large') return { fault: t`${name} is larger than 50 MB when unpacked; attach a part of it.` }
  return unknownKind(file)
}

function unknownKind({ name }: File): Reading {
  if (/\.docx$/i.test(name)) return { fault: t`${name} is damaged, or not a Word document; save it again as .docx.` }
  return { fault: t`${name} isn’t a text file, PDF, Word document (.docx) or image.` }
}

async function bytesOf(file: File): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.arrayBuffer())
}

/** Decodes UTF-8, UTF-16 with a byte order mark, or Windows' Latin-1; null = not text. */
function decodeText(bytes: Uint8Array<ArrayBuffer>): string | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return unlessBinary(decodeAs('utf-16le', bytes))
  if (first === 0xfe && second === 0xff) return unlessBinary(decodeAs('utf-16be', bytes))
  const text = decodeAs('utf-8', bytes)
  if (text !== null) return unlessBinary(text)
  // Every byte is valid Latin-1, but text files contain no control characters.
  return bytes.some((byte) => byte < 32 && !['\t', '\n', '\f', '\r'].includes(String.fromCharCode(byte)))
    ? null
    : decodeAs('windows-1252', bytes)
}

function unlessBinary(text: string | null): string | null {
  return text?.includes('\0') ? null : text
}

function decodeAs(encoding: string, bytes: Uint8Array<ArrayBuffer>): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
