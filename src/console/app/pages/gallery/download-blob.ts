/** Saves what this page made as a file. */
export function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser takes the bytes when it gets to it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
