/**
 * The head of a `data:` address, in any case; the first group is its media type. The parameters are bounded, because a pattern that repeats
 * over millions of them would exhaust the stack.
 */
export const dataHead: RegExp = /^data:([^,;]{0,128})[^,]{0,256};base64,/i
