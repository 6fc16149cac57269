/** A bucket and who may use it. */
export interface S3Address {
  /** Origin of the server, such as `https://s3.example.com`. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}
