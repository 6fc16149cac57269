/** GET /console/api/outputs/:id/images: what a stored output holds, without the pictures themselves. */
export interface OutputImages {
  readonly images: readonly { readonly seed: number; readonly removedForSafety: boolean }[]
  readonly computeMs: number
}
