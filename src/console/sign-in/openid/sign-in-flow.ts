import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/schema'
import { sealValue, unsealValue } from '../sealed-value.ts'

/** Time limit for the sign-in at the provider. */
export const flowMs = 10 * 60 * 1000

const text = Type.String({ maxLength: 200 })
const flowShape = Type.Object({
  state: text,
  nonce: text,
  verifier: text,
  begunAt: Type.Number(),
  /** Page of the console to return to. */
  page: text,
  /** Code of an invitation to use. */
  code: Type.Union([text, Type.Null()]),
  /** Account to link to. */
  linkTo: Type.Union([text, Type.Null()]),
})

const flowChecker = Compile(flowShape)

/** A sign-in in progress. Only the browser that began it has this data, sealed, so that any node can finish it. */
export type SignInFlow = Readonly<Static<typeof flowShape>>

const purpose = 'sign-in flow'

/** @param serviceKey The secret that all nodes share. */
export function sealFlow(flow: SignInFlow, serviceKey: Buffer): string {
  return sealValue(flow, { serviceKey, purpose })
}

/** The sealed data, or null when it was changed, sealed with another key, or is too old. */
export function openFlow(sealed: string, serviceKey: Buffer, now: number): SignInFlow | null {
  const flow = unsealValue(sealed, { serviceKey, purpose })
  return flowChecker.Check(flow) && now - flow.begunAt < flowMs && flow.begunAt - now < flowMs ? flow : null
}
