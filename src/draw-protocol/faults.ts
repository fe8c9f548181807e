/** What is wrong with a file, as a code; the sentences for people are made elsewhere. */
export type FaultCode =
  // The form of a file
  | 'no-final-newline'
  | 'character'
  | 'too-short'
  | 'too-long'
  | 'tag'
  | 'mixed-rehearsal'
  | 'header'
  | 'integer'
  | 'range'
  | 'time'
  | 'hash'
  | 'slug'
  | 'host'
  | 'word'
  | 'words'
  | 'base64'
  | 'fields'
  | 'json'
  // The pack and the terms
  | 'archive'
  | 'archive-path'
  | 'archive-method'
  | 'file-twice'
  | 'file-large'
  | 'folder'
  | 'unknown-file'
  | 'missing-file'
  | 'host-of-key'
  | 'key-id'
  | 'draw-too-early'
  | 'round'
  | 'pinned-chain'
  | 'chain-unknown'
  | 'file-hash'
  | 'text-hash'
  | 'kept-hash'
  // The log
  | 'contest'
  | 'first-leaf'
  | 'second-open'
  | 'number-range'
  | 'kind-of-terms'
  | 'number-twice'
  | 'void-without-entry'
  | 'void-twice'
  | 'reason-of-terms'
  | 'close-twice'
  | 'close-instant'
  | 'late-entry'
  | 'after-seal'
  | 'order'
  | 'attempt'
  | 'claim-missing'
  | 'after-end'
  // Checkpoints
  | 'origin'
  | 'signature-line'
  | 'signature-missing'
  | 'signature-twice'
  | 'signature'
  | 'size-fell'
  | 'time-fell'
  | 'size-beyond-log'
  | 'root'
  | 'log-not-covered'
  | 'kept-order'
  | 'kept-earlier'
  // The register and its witnesses
  | 'policy'
  | 'terms-leaf'
  | 'second-terms'
  | 'registered-size-fell'
  | 'registered-beyond-log'
  | 'registered-root'
  | 'not-registered'
  | 'registered-line'
  | 'cosignature'
  // Time stamps
  | 'certificate'
  | 'stamp-form'
  | 'stamp-other'
  | 'stamp-foreign'
  // Lists, draw, end
  | 'line'
  | 'valid-count'
  | 'valid-root'
  | 'open-late'
  | 'close-early'
  | 'seal-after-draw'
  | 'beacon-signature'
  | 'randomness'
  | 'result-before-round'
  | 'statement-hash'
  | 'unclaimed-early'
  | 'void-missing'
  | 'decided-limit'
  | 'forfeit-before-published'
  | 'forfeit-after-round'
  | 'award-number'
  | 'cancelled-late'
  | 'silence-too-short'
  | 'rows-left'

/** What a fault or a remark says beside its code. */
export type ValueName =
  | 'expected'
  | 'found'
  | 'least'
  | 'most'
  | 'byte'
  | 'number'
  | 'kind'
  | 'reason'
  | 'pending'
  | 'size'
  | 'agreed'
  | 'before'
  | 'time'
  | 'other'
  | 'otherTime'
  | 'leaf'
  | 'file'
  | 'checkpoint'
  | 'draw'
  | 'closes'
  | 'round'
  | 'count'
  | 'seconds'
  | 'attempt'

export type FaultValues = Readonly<Partial<Record<ValueName, string | number>>>

/** A file may be one endless line; a fault shows its beginning. */
const LONGEST = 200

/** A line that breaks a rule of docs/draw-v1.md. Lines are counted from 1; 0 stands for the file as a whole. */
export class DrawFault extends Error {
  readonly code: FaultCode
  readonly line: number
  readonly values: FaultValues

  constructor(code: FaultCode, line: number, values: FaultValues = {}) {
    super(`${code} in line ${line}`)
    this.name = 'DrawFault'
    this.code = code
    this.line = line
    this.values = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.slice(0, LONGEST) : value,
      ]),
    )
  }
}
