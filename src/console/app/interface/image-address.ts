/** The address of one image of a stored output; its actions are below it. */
export function imageAddress(inferenceId: string, index: number): string {
  return `/console/api/outputs/${encodeURIComponent(inferenceId)}/images/${index}`
}
