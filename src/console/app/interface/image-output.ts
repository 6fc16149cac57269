/** Address of one image of a stored output, as a file. */
export function imageAddress(inferenceId: string, index: number): string {
  return `/console/api/outputs/${encodeURIComponent(inferenceId)}/images/${index}`
}
