import type { FastifyRequest } from 'fastify'
import Type, { type Static, type TObject, type TProperties } from 'typebox'
import { receivedBody } from '../http/body/read-body.ts'
import { createBodyChecker } from '../http/faults/body-checker.ts'

/** Reads the JSON body of a request. @throws {ServiceError} `validation_error`, naming every fault. */
export type BodyReader<Body> = (request: FastifyRequest) => Body

const codes = { invalid: 'validation_error', unknown: 'validation_error' } as const

/** Makes a reader of bodies with exactly these fields, so that a misspelled name is not taken for an absent field. */
export function createBodyReader<Fields extends TProperties>(fields: Fields): BodyReader<Static<TObject<Fields>>> {
  const checker = createBodyChecker(Type.Object(fields, { additionalProperties: false }))
  return (request) => checker.parse(receivedBody(request).value, codes)
}

/**
 * Makes a reader of queries with exactly these parameters.
 *
 * @throws {ServiceError} `validation_error` from the reader.
 */
export function createQueryReader<Fields extends TProperties>(fields: Fields): (request: FastifyRequest) => Static<TObject<Fields>> {
  const checker = createBodyChecker(Type.Object(fields, { additionalProperties: false }))
  return (request) => checker.parse({ ...Object(request.query) }, codes)
}
