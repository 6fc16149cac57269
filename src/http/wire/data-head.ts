/**
 * What a `data:` address begins with, in any case; the first group is the type that it names. Its parameters are bounded, since a pattern that repeats over
 * millions of them would run out of stack.
 */
export const dataHead: RegExp = /^data:([^,;]{0,128})[^,]{0,256};base64,/i
