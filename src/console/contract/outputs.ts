/** GET /console/api/outputs/:id/images: the content of a stored output without the pictures. */
export interface OutputImages {
  readonly images: readonly { readonly seed: number; readonly removedForSafety: boolean }[]
  readonly computeMs: number
}
