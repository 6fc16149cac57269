import Type, { type TInteger } from 'typebox'

/** The id of a token in a model's vocabulary. */
export const tokenId: TInteger = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })

/** Token ids of one prompt; no model takes more. */
export const maxTokenIds = 2 ** 20
