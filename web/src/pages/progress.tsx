export function ProgressPage() { return <p>soon</p>; }
