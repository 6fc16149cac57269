/** A rule for a schema, and about how many characters end an instance once it must end. */
export interface SchemaRule {
  readonly rule: string
  readonly closingLength: number
  /** The same once a member of the object has begun, by its name: members come in a fixed order. */
  readonly closingAfter?: ReadonlyMap<string, number>
}
