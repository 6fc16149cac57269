import { extractText, getDocumentProxy } from 'unpdf'

/** The outcome of {@link readPdf}: its text, or why there is none. */
export type PdfReading = { readonly text: string } | { readonly hindrance: 'protected' | 'damaged' }

/** Reads the text of a PDF. Pages are separated by an empty line; pictures of text give none. */
export async function readPdf(bytes: Uint8Array): Promise<PdfReading> {
  try {
    // Without evaluation, which the page's content policy forbids, and without fonts, which only drawing needs.
    const document = await getDocumentProxy(bytes, { isEvalSupported: false, useSystemFonts: false, verbosity: 0 })
    const { text: pages } = await extractText(document)
    return {
      text: pages
        .map((page) => page.trim())
        .filter(Boolean)
        .join('\n\n'),
    }
  } catch (error) {
    return { hindrance: error instanceof Error && error.name === 'PasswordException' ? 'protected' : 'damaged' }
  }
}

// A worker, so that a large file does not block the page, and a hostile one can be stopped.
// The answer takes a channel of its own, because PDF.js talks on the worker's.
globalThis.onmessage = async ({ data, ports: [port] }: MessageEvent<Uint8Array>) => port?.postMessage(await readPdf(data))
