import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { receivedBody } from '../http/body/read-body.ts'
import { type BodyChecker, createBodyChecker } from '../http/wire/faults/body-checker.ts'

const codes = { invalid: 'validation_error', unknown: 'validation_error' } as const

/** A reader of JSON bodies of one shape. @throws {ServiceError} `validation_error` from the reader, naming every fault. */
export function createBodyReader<Schema extends TSchema & { readonly properties: object }>(
  schema: Schema,
): (request: FastifyRequest) => Static<Schema> {
  const checker: BodyChecker<Schema> = createBodyChecker(schema)
  return (request) => checker.parse(receivedBody(request).value, codes)
}
