/** Maximum size of a key file in bytes; request headers are limited to 16 KB. */
export const longestKeyFile = 8192

/**
 * Reads the access key from the content of a `keyFile`, trimming spaces, line ends and a byte-order mark.
 *
 * @param text The file's content, read as UTF-8.
 * @returns The key, or the fault as the end of a sentence that names the file; it never repeats the content.
 */
export function parseUpstreamKey(text: string): { readonly key: string } | { readonly fault: string } {
  const key = text.trim()
  if (key === '') return { fault: 'is empty; write the access key into it' }
  // Passwords are sent in base64 and may have any letters; U+FFFD marks invalid UTF-8.
  const fits = key.includes(':') ? !/[\p{Cc}\uFFFD]/u.test(key) : /^[\x20-\x7e]+$/u.test(key)
  return fits ? { key } : { fault: 'must hold only one key, on one line of plain ASCII characters; save it as UTF-8' }
}

/** The fault of an unreadable key file, completing a sentence that names it. */
export function explainUnreadableKey(code: string | undefined): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is missing; write the access key into it'
  if (code === 'EISDIR') return 'is a folder; name the file that holds the access key'
  return `cannot be read (${code ?? 'unknown'}); make it readable for the user that runs the service`
}
