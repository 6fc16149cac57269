/** Origins of the links we print, without a trailing slash; known once the service listens. */
export interface ServiceAddresses {
  readonly publicUrl: string
  readonly imageUrl: string
  readonly asyncUrl: string
  readonly textUrl: string
}
