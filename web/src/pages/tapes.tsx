export function TapesPage() { return <p>soon</p>; }
