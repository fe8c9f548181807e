/** What buyers were told, kept outside the shop: the shop must stand by it. */
export interface Ledger {
  /** Tickets that an answer promised, by their ids, with their holder. */
  readonly promised: Map<string, number>
  /** Answers by call and status. */
  readonly answers: Map<string, number>
  /** What no answer may say. */
  readonly wrong: string[]
  purchases: number
  /** Calls that were answered, whatever the answer. */
  answered: number
  note(call: string, status: number): void
}

export function newLedger(): Ledger {
  const answers = new Map<string, number>()
  const ledger: Ledger = {
    promised: new Map(),
    answers,
    wrong: [],
    purchases: 0,
    answered: 0,
    note(call, status) {
      const name = `${call} ${status}`
      answers.set(name, (answers.get(name) ?? 0) + 1)
      if (status !== 0) ledger.answered += 1
    },
  }
  return ledger
}
