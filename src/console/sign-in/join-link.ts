/** Where a one-time code is used. It stands behind the `#`, which browsers never send, so that no log keeps it. */
export function joinLink(publicUrl: string, code: string): string {
  return `${publicUrl}/console/join#${code}`
}
