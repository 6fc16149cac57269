/** Bytes of the longest file that is read for a key; the headers of a request end at 16 KB. */
export const longestKeyFile = 8192

/**
 * The access key that a file of the field `keyFile` holds: its text without the blanks, line ends and byte-order mark around it.
 *
 * @param text The file's content, read as UTF-8.
 * @returns The key, or what is wrong as the end of a sentence that names the file; it never repeats what the file holds.
 */
export function parseUpstreamKey(text: string): { readonly key: string } | { readonly fault: string } {
  const key = text.trim()
  if (key === '') return { fault: 'is empty; write the access key into it' }
  // A password goes out in base64, so that it may have any letters; U+FFFD stands for what was no UTF-8.
  const fits = key.includes(':') ? !/[\p{Cc}\uFFFD]/u.test(key) : /^[\x20-\x7e]+$/u.test(key)
  return fits ? { key } : { fault: 'must hold only one key, on one line of plain ASCII characters; save it as UTF-8' }
}

/** What is wrong with a key file that could not be read, as the end of a sentence that names it. */
export function explainUnreadableKey(code: string | undefined): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is missing; write the access key into it'
  if (code === 'EISDIR') return 'is a folder; name the file that holds the access key'
  return `cannot be read (${code ?? 'unknown'}); make it readable for the user that runs the service`
}
