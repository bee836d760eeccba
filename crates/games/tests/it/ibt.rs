//! Generated `.ibt` files: intact ones, and ones with a single defect.
#![allow(clippy::unwrap_used, clippy::panic)]
use crate::support;

use gametape_games::Kind;
use gametape_games::iracing::{Ibt, IbtError, IbtHead, IbtProblem, RowClock, RowTimes, VarProblem, session_text};
use support::{IbtFile, put, var};

const NUM_VARS: usize = 24;
const VAR_HEADERS: usize = 28;
const NUM_BUF: usize = 32;
const BUF_LEN: usize = 36;
const BUF_OFFSET: usize = 52;
const TEXT_LEN: usize = 16;
const TEXT_OFFSET: usize = 20;
const RECORDS: usize = 140;

fn with(offset: usize, value: i32) -> Vec<u8> {
    let mut file = IbtFile::default().build();
    put(&mut file, offset, value);
    file
}

fn row_of(ibt: &Ibt, file: &[u8], index: u64) -> Vec<u8> {
    let range = ibt.rows.range(index).unwrap();
    file[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()].to_vec()
}

#[test]
fn a_whole_file_gives_its_facts_and_no_problem() {
    let (plan, file) = (IbtFile::default(), IbtFile::default().build());
    let ibt = Ibt::parse(&file).unwrap();
    assert_eq!(ibt.problems, []);
    assert_eq!((ibt.header.version, ibt.header.tick_rate_hz, ibt.header.buffers[0].tick), (2, 60, 77));
    assert_eq!((ibt.disk.start_date_unix_s, ibt.disk.lap_count, ibt.disk.record_count), (1_700_000_000, 1, 5));
    assert_eq!((ibt.disk.start_time_s, ibt.disk.end_time_s), (100.0, 101.0));
    assert_eq!((ibt.rows.start, ibt.rows.row_bytes, ibt.rows.count), (plan.row_start() as u64, 31, 5));
    assert_eq!(row_of(&ibt, &file, 4), plan.row(4));
    assert_eq!(ibt.rows.range(5), None);
    assert_eq!(ibt.rows.range(u64::MAX), None);
    assert_eq!(ibt.session_text, plan.text_start() as u64..plan.row_start() as u64);
    assert_eq!(session_text(&file[plan.text_start()..plan.row_start()]).as_bytes(), plan.text);
}

#[test]
fn variable_headers_become_channels() {
    let ibt = Ibt::parse(&IbtFile::default().build()).unwrap();
    let got: Vec<_> = ibt.layout.channels().iter().map(|c| (c.name.as_ref(), c.offset, c.kind, c.count)).collect();
    let expected = [
        ("SessionTime", 0, Kind::F64, 1),
        ("SessionTick", 8, Kind::I32, 1),
        ("IsOnTrack", 12, Kind::Bool, 1),
        ("SessionFlags", 13, Kind::Bits32, 1),
        ("Torque_ST", 17, Kind::F32, 3),
        ("Letters", 29, Kind::Char, 2),
    ];
    assert_eq!(got, expected);
    assert_eq!((ibt.layout.id(), ibt.layout.frame_bytes()), ("iracing-row-31", 31));
    assert_eq!(ibt.layout.channel("Torque_ST").unwrap().unit, "N*m");
    let as_time: Vec<bool> = ibt.details.iter().map(|detail| detail.count_as_time).collect();
    assert_eq!(as_time, [false, false, false, false, true, false]);
    assert!(ibt.details.iter().all(|detail| detail.desc == "what it is"));
}

#[test]
fn details_follow_their_channels_when_headers_are_not_in_order() {
    let mut plan = IbtFile::default();
    plan.vars[4].desc = "torque";
    plan.vars.reverse();
    let ibt = Ibt::parse(&plan.build()).unwrap();
    assert_eq!((ibt.layout.channels()[4].name.as_ref(), ibt.details[4].desc.as_str()), ("Torque_ST", "torque"));
    assert!(ibt.details[4].count_as_time);
}

#[test]
fn a_file_is_read_in_pieces() {
    let file = IbtFile::default().build();
    let head = IbtHead::parse(&file[..IbtHead::BYTES], file.len() as u64).unwrap();
    assert_eq!(head.var_headers, 144..144 + 6 * 144);
    let too_few = head.clone().finish(&file[144..1000]);
    assert_eq!(too_few.unwrap_err(), IbtError::VarHeaderBytes { expected: 864, actual: 856 });
    assert_eq!(head.finish(&file[144..144 + 864]).unwrap(), Ibt::parse(&file).unwrap());
}

#[test]
fn rows_are_timed_by_session_time() {
    let file = IbtFile::default().build();
    let ibt = Ibt::parse(&file).unwrap();
    let mut times = RowTimes::new(&ibt);
    for index in 0..5 {
        let time = times.step(&row_of(&ibt, &file, index));
        assert_eq!((time.ns, time.clock), (index * 15_625_000, RowClock::SessionTime));
    }
}

#[test]
fn files_that_are_not_ibt_are_rejected() {
    let error = Ibt::parse(b"PK\x03\x04 something else").unwrap_err();
    assert!(matches!(error, IbtError::NotIbt { found: 0x0403_4B50 }));
    assert!(error.to_string().starts_with("not an .ibt file"), "{error}");
    assert!(matches!(Ibt::parse(&with(0, 3)).unwrap_err(), IbtError::NotIbt { found: 3 }));
    assert!(Ibt::parse(&with(0, 1)).is_ok());
    let empty = Ibt::parse(b"").unwrap_err();
    assert!(matches!(empty, IbtError::CutOff { what: "headers", end: 144, file_bytes: 0, .. }));
}

#[test]
fn live_memory_is_not_taken_for_a_file() {
    for found in [3, 0, -1] {
        assert_eq!(Ibt::parse(&with(NUM_BUF, found)).unwrap_err(), IbtError::NotOneBuffer { found });
    }
}

#[test]
fn out_of_range_fields_are_named() {
    let cases = [
        ("numVars", NUM_VARS, [0, -1, 4097, i32::MAX]),
        ("varHeaderOffset", VAR_HEADERS, [0, 143, -1, i32::MIN]),
        ("bufLen", BUF_LEN, [0, -1, (1 << 20) + 1, i32::MAX]),
        ("bufOffset", BUF_OFFSET, [0, 143, -1, i32::MIN]),
    ];
    for (name, at, values) in cases {
        for value in values {
            match Ibt::parse(&with(at, value)).unwrap_err() {
                IbtError::Field { field, offset, found, .. } => {
                    assert_eq!((field, offset, found), (name, at as u64, i64::from(value)));
                }
                other => panic!("{name} = {value}: {other}"),
            }
        }
    }
}

#[test]
fn variable_headers_behind_the_end_are_an_error() {
    for file in [with(NUM_VARS, 4096), with(VAR_HEADERS, i32::MAX)] {
        assert!(matches!(Ibt::parse(&file).unwrap_err(), IbtError::CutOff { what: "variable headers", .. }));
    }
}

#[test]
fn rows_inside_the_variable_headers_are_an_error() {
    let error = Ibt::parse(&with(BUF_OFFSET, 1000)).unwrap_err();
    assert_eq!(error, IbtError::RowsInVarHeaders { row_start: 1000, start: 144, end: 1008 });
}

#[test]
fn a_file_cut_inside_a_row_keeps_the_whole_ones() {
    let file = IbtFile::default().build();
    let cut = &file[..file.len() - 40];
    let ibt = Ibt::parse(cut).unwrap();
    assert_eq!(ibt.rows.count, 3);
    let whole_end = IbtFile::default().row_start() as u64 + 3 * 31;
    let expected =
        [IbtProblem::RowCount { recorded: 5, whole: 3 }, IbtProblem::CutRow { offset: whole_end, bytes: 22 }];
    assert_eq!(ibt.problems, expected);
}

#[test]
fn a_file_that_was_never_finished_keeps_all_its_rows() {
    for recorded in [0, 4, -1] {
        let ibt = Ibt::parse(&with(RECORDS, recorded)).unwrap();
        assert_eq!((ibt.rows.count, ibt.problems), (5, vec![IbtProblem::RowCount { recorded, whole: 5 }]));
    }
}

#[test]
fn a_file_without_rows_says_so() {
    let ibt = Ibt::parse(&with(BUF_OFFSET, i32::MAX)).unwrap();
    assert_eq!(ibt.rows.count, 0);
    assert!(matches!(ibt.problems[..], [IbtProblem::NoRows { .. }, IbtProblem::RowCount { whole: 0, .. }]));
}

#[test]
fn an_impossible_text_location_does_not_cost_rows() {
    let in_rows = i32::try_from(IbtFile::default().row_start()).unwrap() + 7;
    for (at, value) in
        [(TEXT_OFFSET, -1), (TEXT_OFFSET, 7), (TEXT_OFFSET, i32::MAX), (TEXT_OFFSET, in_rows), (TEXT_LEN, -5)]
    {
        let ibt = Ibt::parse(&with(at, value)).unwrap();
        assert_eq!((ibt.rows.count, ibt.session_text.clone()), (5, 0..0), "{at} = {value}");
        assert!(matches!(ibt.problems[..], [IbtProblem::SessionText { .. }]), "{at} = {value}: {:?}", ibt.problems);
    }
}

#[test]
fn a_text_that_runs_into_the_rows_ends_there() {
    let plan = IbtFile::default();
    let ibt = Ibt::parse(&with(TEXT_LEN, 5000)).unwrap();
    assert_eq!(ibt.session_text, plan.text_start() as u64..plan.row_start() as u64);
    assert!(matches!(ibt.problems[..], [IbtProblem::SessionTextCut { expected: 5000, .. }]));
    let none = Ibt::parse(&with(TEXT_LEN, 0)).unwrap();
    assert_eq!((none.session_text, none.problems), (0..0, vec![]));
}

#[test]
fn a_text_behind_the_rows_is_no_row() {
    let plan = IbtFile { text: vec![], ..IbtFile::default() };
    let mut file = plan.build();
    let rows_end = file.len();
    put(&mut file, TEXT_OFFSET, i32::try_from(rows_end).unwrap());
    put(&mut file, TEXT_LEN, 100);
    file.extend([b'-'; 100]);
    let ibt = Ibt::parse(&file).unwrap();
    assert_eq!((ibt.rows.count, ibt.session_text), (5, rows_end as u64..rows_end as u64 + 100));
    assert_eq!(ibt.problems, []);
}

#[test]
fn an_implausible_tick_rate_is_reported() {
    for found in [0, -60, 100_000] {
        let ibt = Ibt::parse(&with(8, found)).unwrap();
        assert_eq!(ibt.problems, [IbtProblem::TickRate { found }]);
    }
}

/// Parses the default file with one variable added or changed.
fn problems_of(change: impl Fn(&mut Vec<support::Var>)) -> (Ibt, Vec<VarProblem>) {
    let mut plan = IbtFile::default();
    change(&mut plan.vars);
    let ibt = Ibt::parse(&plan.build()).unwrap();
    assert_eq!(ibt.rows.count, 5, "invalid variables must not cost rows");
    assert_eq!(ibt.layout.channels().len(), ibt.details.len());
    let variable = |problem: &IbtProblem| match problem {
        IbtProblem::Variable(problem) => problem.clone(),
        other => panic!("{other}"),
    };
    let problems = ibt.problems.iter().map(variable).collect();
    (ibt, problems)
}

#[test]
fn duplicate_names_keep_the_first() {
    let (ibt, problems) = problems_of(|vars| vars[3].name = "SessionTick");
    assert_eq!(problems, [VarProblem::DuplicateName { index: 3, name: "SessionTick".into(), first_index: 1 }]);
    assert_eq!((ibt.layout.channels().len(), ibt.layout.channel("SessionTick").unwrap().offset), (5, 8));
}

#[test]
fn one_wild_variable_does_not_cost_those_it_covers() {
    let (ibt, problems) = problems_of(|vars| vars.insert(0, var(4, 0, 7, "Wild", "")));
    assert_eq!(ibt.layout.channels().len(), 6);
    assert!(matches!(&problems[..], [VarProblem::Overlap { index: 0, name, .. }] if name == "Wild"));
}

#[test]
fn two_variables_at_one_place_keep_the_first() {
    let (ibt, problems) = problems_of(|vars| vars.push(var(4, 8, 1, "Second", "")));
    assert!(ibt.layout.channel("SessionTick").is_some() && ibt.layout.channel("Second").is_none());
    assert!(matches!(&problems[..], [VarProblem::Overlap { index: 6, other_index: 1, .. }]));
}

#[test]
fn variables_outside_the_row_are_left_out() {
    for (offset, count) in [(28, 1), (-1, 1), (8, 0), (8, -1), (i32::MAX, i32::MAX), (0, i32::MAX)] {
        let (ibt, problems) = problems_of(|vars| vars.push(var(4, offset, count, "Outside", "")));
        assert_eq!(ibt.layout.channels().len(), 6);
        let [VarProblem::OutsideRow { index: 6, offset: o, count: c, row_bytes: 31, .. }] = problems[..] else {
            panic!("{problems:?}")
        };
        assert_eq!((o, c), (offset, count));
    }
}

#[test]
fn variables_without_a_type_or_a_name_are_left_out() {
    let (_, problems) = problems_of(|vars| vars[1].kind = 6);
    assert_eq!(problems, [VarProblem::Type { index: 1, name: "SessionTick".into(), found: 6 }]);
    let (_, problems) = problems_of(|vars| vars[1].name = "");
    assert_eq!(problems, [VarProblem::Name { index: 1 }]);
    let (_, problems) = problems_of(|vars| vars[1].name = "a\nb");
    assert_eq!(problems, [VarProblem::Name { index: 1 }]);
}
