import { getDocumentProxy } from 'unpdf'
import { longestContent } from '../../../../../core/chat/conversation.ts'

/** The outcome of {@link readPdf}: its text, or why there is none. */
export type PdfReading = { readonly text: string } | { readonly hindrance: 'protected' | 'damaged' }

/**
 * Reads the text of a PDF, up to the page where it is too long for a message. Pages are separated by an empty line; pictures of text give
 * none.
 */
export async function readPdf(bytes: Uint8Array): Promise<PdfReading> {
  try {
    // Without evaluation, which the page's content policy forbids, and without fonts, which only drawing needs.
    const document = await getDocumentProxy(bytes, { isEvalSupported: false, useSystemFonts: false, verbosity: 0 })
    const pages: string[] = []
    let length = 0
    // One after the other: a hostile file claims to have any number of pages.
    for (let number = 1; number <= document.numPages && length <= longestContent; number++) {
      const page = await document.getPage(number)
      const { items } = await page.getTextContent()
      page.cleanup()
      const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('')
      pages.push(text.trim())
      length += text.length
    }
    return { text: pages.filter(Boolean).join('\n\n') }
  } catch (error) {
    return { hindrance: error instanceof Error && error.name === 'PasswordException' ? 'protected' : 'damaged' }
  }
}

// A worker, so that a large file does not block the page, and a hostile one can be stopped.
// The answer takes a channel of its own, because PDF.js talks on the worker's.
globalThis.onmessage = async ({ data, ports: [port] }: MessageEvent<Uint8Array>) => port?.postMessage(await readPdf(data))
