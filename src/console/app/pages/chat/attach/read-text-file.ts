import type { AttachedText } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'

const longestBytes = 1_000_000

/**
 * Reads a text file.
 *
 * @returns The file, or a message when it is empty, too large or not text.
 */
export async function readTextFile(file: File): Promise<AttachedText | { readonly fault: string }> {
  if (file.size > longestBytes) return { fault: t`${file.name} is larger than 1 MB; attach a part of it.` }
  try {
    const text = decodeText(new Uint8Array(await file.arrayBuffer()))
    if (text === '') return { fault: t`${file.name} is empty; attach a file with something in it.` }
    if (text !== null) return { name: file.name, text }
  } catch {}
  return { fault: t`${file.name} isn’t a text file or picture.` }
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
