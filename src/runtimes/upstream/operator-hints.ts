/** What an operator may look at, by the status of an answer. */
const byStatus: Readonly<Record<number, string>> = {
  401: ': that server needs a key, or another one; write it into the file that `keyFile` in its model.json names',
  403: ': the key in `keyFile` of its model.json has no permission for this',
  404: ': `url` or `model` in its model.json does not match that server',
  501: ': that server was not started for this; start llama-server with `--embeddings` for vectors or `--reranking` for scores',
}

const vouching = ': its certificate is not trusted; set the environment variable NODE_EXTRA_CA_CERTS to the file of its authority'

/** The same, by the code of the error that kept a connection from being made. */
const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: ': nothing listens there; start it, or correct `url` in its model.json',
  ENOTFOUND: ': this host name does not exist; correct `url` in its model.json',
  DEPTH_ZERO_SELF_SIGNED_CERT: vouching,
  SELF_SIGNED_CERT_IN_CHAIN: vouching,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: vouching,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: vouching,
}

/** Which field of the `model.json` an answer's status is mostly the fault of; nothing where none is. */
export function hintAtStatus(status: number): string {
  return byStatus[status] ?? (status >= 300 && status < 400 ? ': `url` in its model.json redirects; use the address it redirects to' : '')
}

/** What to change where no connection could be made; nothing where the reason itself says enough. */
export function hintAtReach(cause: unknown): string {
  if (!(cause instanceof Error) || !('code' in cause)) return ''
  // What OpenSSL says of an answer that is no TLS.
  if (cause.code === 'EPROTO' && /wrong version number/.test(cause.message))
    return ': it does not use TLS; write http:// in `url` of its model.json'
  return byCode[String(cause.code)] ?? ''
}

/** Whether a server refuses a request for coming without TLS, in the words of nginx and of Go. */
export function wantsTls(body: string): boolean {
  return /HTTP request (?:was sent )?to (?:an )?HTTPS (?:port|server)/.test(body)
}
