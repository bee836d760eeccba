export function ComparePage() { return <p>soon</p>; }
