/** Saves a blob as a file. */
export function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser may read the bytes later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
