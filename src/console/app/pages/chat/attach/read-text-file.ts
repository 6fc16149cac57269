import type { AttachedText } from '../../../../../core/chat/conversation.ts'
import { t } from '../text.ts'

const longestBytes = 1_000_000

/** Reads a file that a message carries; what is no text, or too much of it, is refused with a sentence. */
export async function readTextFile(file: File): Promise<AttachedText | { readonly fault: string }> {
  if (file.size > longestBytes) return { fault: t`${file.name} is larger than 1 MB; attach a part of it.` }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    if (!text.includes('\0')) return { name: file.name, text }
  } catch {}
  return { fault: t`${file.name} is no text in UTF-8; only text files and pictures can be attached.` }
}
