import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isLate,
  isOutOfReach,
  makeAnswerError,
  makeBrokenError,
  makeEventError,
  makeLateError,
  makeOutOfReachError,
  mayStillWork,
  statusOf,
} from './upstream-error.ts'

test('details for the operator are in the cause, and in no message for clients', () => {
  for (const [status, hint] of [
    [401, /needs a key, or another one; .* `keyFile`/],
    [402, /the account of its key has no credit left there/],
    [403, /the key in `keyFile`/],
    [404, /`url` or `model`/],
    [500, /answered 500\.$/],
    [501, /answered 501: .*llama-server .*`--embeddings`.*`--reranking`/],
  ] as const) {
    const { code, message, cause } = makeAnswerError(status, `{"error":{"message":"a fox","code":${status}}}`, undefined)
    assert.ok(cause instanceof Error)
    assert.match(cause.message, hint)
    assert.equal(code, 'inference_failed')
    assert.doesNotMatch(`${message} ${cause.message}`, /a fox/)
    assert.doesNotMatch(message, /keyFile|url/)
  }
})

const causeOf = ({ cause }: { readonly cause?: unknown }): string => (cause instanceof Error ? cause.message : '')

test('a proxy’s page about a large request becomes advice to shorten it', () => {
  const { code, message } = makeAnswerError(413, '<html><body>413 Request Entity Too Large</body></html>', undefined)
  assert.deepEqual([code, message], ['invalid_request_error', 'This request is too large for the server of this model; shorten it.'])
})

test('an account without credit is a failure, not a pause', () => {
  const error = makeAnswerError(429, '{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}', '1')
  assert.equal(error.code, 'inference_failed')
  assert.match(causeOf(error), /answered 429 \(insufficient_quota\): the account of its key has no credit left there/)
})

test('a wrong address is reported with the request', () => {
  const address = 'http://gpu-1:8000/chat/completions'
  const error = makeAnswerError(404, '{"detail":"Not Found"}', undefined, { address })
  assert.match(causeOf(error), /answered 404 at http:\/\/gpu-1:8000\/chat\/completions: `url` or `model`/)
  assert.match(
    causeOf(makeEventError({ error: 'Unexpected endpoint or method. (POST /chat/completions)' })),
    /: `url` or `model` in its model\.json/,
  )
})

test('the reason a server cannot be reached explains what to change', () => {
  for (const [code, message, hint] of [
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:8001', /nothing listens there; start it, or correct `url` in its model\.json/],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND gpu-1', /this host name does not exist; correct `url` in its model\.json/],
    [
      'EPROTO',
      'write EPROTO 40AD:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number',
      /does not use TLS; write http:\/\//,
    ],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', /its certificate is not trusted; .*NODE_EXTRA_CA_CERTS/],
    ['EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.7:8000', /cannot be reached\.$/],
  ] as const)
    assert.match(causeOf(makeOutOfReachError(Object.assign(new Error(message), { code }))), hint)
})

test('a plain HTTP request to a TLS server is reported as a wrong address, not as a wrong request', () => {
  for (const body of [
    'Client sent an HTTP request to an HTTPS server.\n',
    '<center>The plain HTTP request was sent to HTTPS port</center>',
  ]) {
    const error = makeAnswerError(400, body, undefined)
    assert.equal(error.code, 'inference_failed')
    assert.match(causeOf(error), /uses TLS; write https:\/\/ in `url` of its model\.json/)
  }
})

test('errors record whether the server was reached, was late, and may still be working', () => {
  for (const [error, outOfReach, late, atWork, status] of [
    [makeOutOfReachError(new Error('refused')), true, false, false, undefined],
    [makeLateError('connect', 5000), true, true, false, undefined],
    [makeLateError('idle', 5000), false, true, true, undefined],
    [makeBrokenError('broke off its answer'), false, false, true, undefined],
    [makeAnswerError(504, '', undefined), false, false, true, 504],
    [makeAnswerError(500, '', undefined), false, false, false, 500],
    [makeAnswerError(422, '', undefined), false, false, false, undefined],
    [new Error('ours'), false, false, false, undefined],
  ] as const)
    assert.deepEqual([isOutOfReach(error), isLate(error), mayStillWork(error), statusOf(error)], [outOfReach, late, atWork, status])
})
