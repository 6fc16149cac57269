/** A value as clients receive it: JSON leaves out members that are undefined. */
export function asSent<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value))
}
