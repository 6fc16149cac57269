import type { AttachedText } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'

const longestBytes = 1_000_000

/** Reads a file that a message carries; what is no text, nothing, or too much of it, is refused with a sentence. */
export async function readTextFile(file: File): Promise<AttachedText | { readonly fault: string }> {
  if (file.size > longestBytes) return { fault: t`${file.name} is larger than 1 MB; attach a part of it.` }
  try {
    const text = decodeText(new Uint8Array(await file.arrayBuffer()))
    if (text === '') return { fault: t`${file.name} is empty; attach a file with something in it.` }
    if (text !== null) return { name: file.name, text }
  } catch {}
  return { fault: t`${file.name} isn’t a text file or picture.` }
}

/** UTF-8, UTF-16 where its mark says so, or else Latin-1 as Windows writes it; null = it is no text. */
function decodeText(bytes: Uint8Array<ArrayBuffer>): string | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return unlessBinary(decodeAs('utf-16le', bytes))
  if (first === 0xfe && second === 0xff) return unlessBinary(decodeAs('utf-16be', bytes))
  const text = decodeAs('utf-8', bytes)
  if (text !== null) return unlessBinary(text)
  // Every byte is a letter of Latin-1, but no text holds those that steer a terminal.
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
