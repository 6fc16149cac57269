import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { ServiceError } from '../../core/error.ts'
import { isRecord } from '../../core/json-value.ts'
import { findFaults } from '../../core/schema/find-faults.ts'
import { type FaultCodes, faultsError } from './refuse-faults.ts'
import { withoutNulls } from './without-nulls.ts'

/** Checks bodies against one schema. A known field that is null counts as absent unless its schema accepts null. */
export interface BodyChecker<Schema extends TSchema> {
  /** @throws {ServiceError} with the given codes, naming all faults at once, or the first few of very many. */
  parse(body: unknown, codes: FaultCodes): Static<Schema>
}

/** Compiles the schema at the first body, because a service never uses many of its routes. */
export function createBodyChecker<Schema extends TSchema & { readonly properties: object }>(schema: Schema): BodyChecker<Schema> {
  const document: object = schema
  let check: ((value: unknown) => boolean) | undefined
  const fits = (value: unknown): value is Static<Schema> => {
    check ??= compileCheck(schema)
    return check(value)
  }
  return {
    parse(body, codes) {
      const value = withoutNulls(document, requireObject(body, codes))
      if (fits(value)) return value
      throw faultsError(findFaults(document, value), codes)
    },
  }
}

/** @throws {ServiceError} with the given codes if a body is not an object. */
export function requireObject(body: unknown, codes: FaultCodes): Readonly<Record<string, unknown>> {
  if (!isRecord(body)) throw new ServiceError(codes.invalid, 'Send a JSON object as the body.')
  return body
}

function compileCheck(schema: TSchema): (value: unknown) => boolean {
  const validator = Compile(schema)
  return (value) => validator.Check(value)
}
