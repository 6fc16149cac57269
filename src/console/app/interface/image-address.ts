/** Address of one image of a stored output; what is done with it lies below. */
export function imageAddress(inferenceId: string, index: number): string {
  return `/console/api/outputs/${encodeURIComponent(inferenceId)}/images/${index}`
}
