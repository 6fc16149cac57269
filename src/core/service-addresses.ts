/** Origins of the links in answers, without a trailing slash; known when the service listens. */
export interface ServiceAddresses {
  readonly publicUrl: string
  readonly imageUrl: string
  readonly asyncUrl: string
  readonly textUrl: string
}
