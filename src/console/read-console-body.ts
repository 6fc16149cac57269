import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { receivedBody } from '../http/body/read-body.ts'
import { type BodyChecker, createBodyChecker } from '../http/wire/faults/body-checker.ts'

const codes = { invalid: 'validation_error', unknown: 'validation_error' } as const

/** Reads the JSON body of a request. @throws {ServiceError} `validation_error`, naming every fault. */
export type BodyReader<Body> = (request: FastifyRequest) => Body

/** A reader of bodies of one shape. */
export function createBodyReader<Schema extends TSchema & { readonly properties: object }>(schema: Schema): BodyReader<Static<Schema>> {
  const checker: BodyChecker<Schema> = createBodyChecker(schema)
  return (request) => checker.parse(receivedBody(request).value, codes)
}
