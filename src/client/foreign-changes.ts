/** What is read of React's own record of an element or a text. */
interface Fiber {
  return: Fiber | null
  alternate: Fiber | null
  memoizedProps: unknown
  stateNode: { containerInfo?: unknown } | null
}

/** What somebody else did to the children of an element of React's, or to one of its texts. */
type Change =
  | { added: Node[]; removed: Set<Node>; before: Node | null; after: Node | null }
  | { text: CharacterData; was: string }

/**
 * Lets React work in a page that others change, too: translators replace texts by elements of their own, extensions wrap
 * fields, blockers remove. React alone would fail on a node that is not where React left it, or write into one that nobody
 * sees. What others did to the children of an element is kept, and taken back just before React changes such a child; a
 * translator then translates the present words. Nothing that others do otherwise is undone.
 */
export function withstandForeignChanges(): void {
  const changes = new WeakMap<Node, Change[]>()
  /** The elements to which React's nodes belong that others took away. */
  const homes = new WeakMap<Node, Node>()
  let mark: string | undefined

  function fiberOf(node: Node): Fiber | undefined {
    mark ??= Object.keys(node).find((name) => name.startsWith('__reactFiber$'))
    return mark === undefined ? undefined : (node as unknown as Record<string, Fiber | undefined>)[mark]
  }

  /** Whether React shows the node. What React removed itself leads to no root. */
  function isShown(node: Node): boolean {
    let fiber = fiberOf(node)
    while (fiber?.return) fiber = fiber.return
    return fiber?.stateNode?.containerInfo !== undefined
  }

  const isReactsText = (node: Node, text: string | null): boolean => {
    const fiber = fiberOf(node)
    return fiber !== undefined && (fiber.memoizedProps === text || fiber.alternate?.memoizedProps === text)
  }

  function keep(parent: Node, change: Change): void {
    const isOver = (one: Change): boolean =>
      'added' in one && one.removed.size + one.added.filter((node) => node.parentNode === parent).length === 0
    const kept = (changes.get(parent) ?? []).filter((one) => !isOver(one))
    const isKnown = kept.some((one) => 'text' in one && 'text' in change && one.text === change.text)
    changes.set(parent, isKnown ? kept : [...kept, change])
  }

  /** Others gave it back, such as a translator that shows the original. */
  function forget(parent: Node, node: Node): void {
    homes.delete(node)
    for (const change of changes.get(parent) ?? []) if ('removed' in change) change.removed.delete(node)
  }

  function read(records: readonly MutationRecord[]): void {
    for (const record of records) {
      const { target, oldValue, previousSibling: before, nextSibling: after } = record
      if (record.type === 'characterData') {
        const parent = homes.get(target) ?? target.parentNode
        if (parent && fiberOf(target) && !isReactsText(target, target.nodeValue))
          keep(parent, { text: target as CharacterData, was: oldValue ?? '' })
        continue
      }
      const removed = new Set(
        [...record.removedNodes].filter((node) => node.parentNode !== target && isShown(node)),
      )
      if (fiberOf(target)) {
        const added = [...record.addedNodes].filter((node) => !fiberOf(node))
        for (const node of record.addedNodes) if (homes.get(node) === target) forget(target, node)
        for (const node of removed) homes.set(node, target)
        if (removed.size + added.length > 0) keep(target, { added, removed, before, after })
      }
      // React asks the parent of what belongs into the head to remove it.
      else for (const node of removed) if (!node.parentNode) new DocumentFragment().append(node)
    }
  }

  new MutationObserver(read).observe(document, {
    childList: true,
    characterData: true,
    characterDataOldValue: true,
    subtree: true,
  })

  // oxlint-disable-next-line typescript/unbound-method -- because each is called with its node
  const { removeChild, insertBefore, appendChild } = Node.prototype
  const nodeValue = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeValue')!

  /** Takes back what others did to the children of an element. */
  function restore(parent: Node): void {
    const kept = changes.get(parent) ?? []
    changes.delete(parent)
    for (const change of kept.toReversed()) {
      if ('text' in change) {
        change.text.data = change.was
        continue
      }
      const { added, removed, before, after } = change
      const place =
        after?.parentNode === parent ? after : before?.parentNode === parent ? before.nextSibling : null
      for (const node of removed)
        if (node.parentNode !== parent && isShown(node)) insertBefore.call(parent, node, place)
      for (const node of added)
        if (node.parentNode === parent && !fiberOf(node)) removeChild.call(parent, node)
    }
  }

  /** Before React puts a node somewhere that others took away. */
  function fetchBack(parent: Node, node: Node | null): void {
    if (node && node.parentNode !== parent && homes.get(node) === parent) restore(parent)
  }

  Object.assign(Node.prototype, {
    removeChild(this: Node, child: Node) {
      if (!child || child.parentNode === this) return removeChild.call(this, child)
      restore(this)
      child.parentNode?.removeChild(child)
      return child
    },
    appendChild(this: Node, node: Node) {
      fetchBack(this, node)
      return appendChild.call(this, node)
    },
    insertBefore(this: Node, node: Node, next: Node | null) {
      fetchBack(this, node)
      if (!next || next.parentNode === this) return insertBefore.call(this, node, next)
      restore(this)
      let place: Node | null = next
      while (place && place.parentNode !== this) place = place.parentNode
      return place || node.parentNode !== this ? insertBefore.call(this, node, place) : node
    },
  })
  Object.defineProperty(Node.prototype, 'nodeValue', {
    ...nodeValue,
    set(this: Node, text: string | null) {
      const parent = homes.get(this) ?? this.parentNode
      const isMoved = (change: Change): boolean => 'text' in change || change.removed.size > 0
      if (parent && isReactsText(this, text) && changes.get(parent)?.some(isMoved)) restore(parent)
      nodeValue.set!.call(this, text)
    },
  })
}
