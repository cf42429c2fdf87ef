//! Files of values: the same numbers in every format and however they are asked for, and work that is ended.

use std::ops::ControlFlow;

use fibula::format::points::Points;
use fibula::format::values::Format;
use fibula::graph::FunctionId;
use fibula::service::{
    Evaluate, Options, Precision, Region, Sample, SampleResult, SamplingOptions, Service,
};
use serde_json::{Value as Json, json};

use crate::calls::{add, apply, stop_if};

fn sample(id: FunctionId, format: Format) -> Sample {
    Sample {
        project: None,
        function_id: id,
        arguments: None,
        region: None,
        outputs: None,
        gradient: false,
        format,
        precision: Precision::F64,
        revision: None,
    }
}

fn written(service: &Service, sample: Sample, points: Option<Points>) -> (SampleResult, Vec<u8>) {
    let (format, precision) = (sample.format, sample.precision);
    let how = with_defaults!(SamplingOptions, precision);
    let ready = service
        .sampling_at(sample, points)
        .and_then(|sampling| sampling.prepare(how));
    let ready = ready.unwrap_or_else(|refusal| panic!("{refusal}"));
    let mut bytes = Vec::new();
    let sampled = ready.write(format, &mut bytes, &mut |_, _| ControlFlow::Continue(()));
    (sampled.unwrap_or_else(|refusal| panic!("{refusal}")), bytes)
}

fn region(from: [f64; 3], to: [f64; 3], counts: &[u64]) -> Region {
    Region {
        input: None,
        from: from.to_vec(),
        to: to.to_vec(),
        counts: Some(counts.to_vec()),
    }
}

/// However values are asked for, they have the same bits.
#[test]
fn files_have_the_values_of_answers() {
    let service = Service::default();
    let expression = "sin(3 * x) * exp(y) + length(pos) / (z + 1.5)";
    let id = add(&service, "f", expression);
    let counts = [70, 7, 5];
    let whole = region([-1.0, -1.0, -1.0], [1.0, 0.5, 2.0], &counts);
    let answer = service.evaluate(Evaluate {
        region: Some(whole.clone()),
        ..Evaluate::new(id, json!({}))
    });
    let expected: Vec<f64> =
        serde_json::from_value(answer.expect("values").values["shape"].take()).expect("numbers");
    let bytes: Vec<u8> = expected
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let request = |format| Sample {
        region: Some(whole.clone()),
        ..sample(id, format)
    };
    let (sampled, raw) = written(&service, request(Format::F64), None);
    assert!(raw == bytes, "raw numbers are those of the answer");
    assert_eq!(sampled.points, 2450);
    assert_eq!(sampled.shape[..], [5, 7, 70]);
    let (_, array) = written(&service, request(Format::Npy), None);
    assert!(array.ends_with(&bytes));
    let head = String::from_utf8_lossy(&array[..128]).into_owned();
    assert_contains!(head => "'shape': (5, 7, 70), }");
    // The lines have the points, which give the same values one by one.
    let (_, text) = written(&service, request(Format::Csv), None);
    let text = String::from_utf8(text).expect("a text");
    assert!(text.starts_with("pos.x,pos.y,pos.z,shape\n-1.0,-1.0,-1.0,"));
    let lines: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .map(|word| word.parse().expect("a number"))
                .collect()
        })
        .collect();
    let arguments: Vec<Json> = lines
        .iter()
        .map(|line| json!({ "pos": line[..3] }))
        .collect();
    let one_by_one = service
        .evaluate(Evaluate::new(id, arguments.clone()))
        .expect("values");
    for ((line, listed), expected) in lines
        .iter()
        .zip(one_by_one.values.as_array().expect("a list"))
        .zip(&expected)
    {
        assert_eq!(line[3].to_bits(), expected.to_bits());
        let value = listed["shape"].as_f64().expect("a number");
        assert_eq!(value.to_bits(), expected.to_bits());
    }
    let list = Sample {
        arguments: Some(arguments.into()),
        ..sample(id, Format::F64)
    };
    assert!(
        written(&service, list, None).1 == bytes,
        "a list gives what the grid gives"
    );
    let column = |place: usize| lines.iter().map(|line| line[place]).collect();
    let points = Points::new(vec![column(0), column(1), column(2)]);
    assert!(
        written(&service, sample(id, Format::F64), Some(points)).1 == bytes,
        "so does a file"
    );
    // Single precision is near.
    let single = Sample {
        precision: Precision::F32,
        ..request(Format::F32)
    };
    let (_, singles) = written(&service, single, None);
    for (four, expected) in singles.chunks_exact(4).zip(&expected) {
        let single = f32::from_le_bytes(four.try_into().expect("four bytes"));
        assert!((f64::from(single) - expected).abs() < 1e-5 * (1.0 + expected.abs()));
    }
}

#[test]
fn more_points_than_a_chunk_are_in_order() {
    let service = Service::default();
    let id = add(&service, "f", "x + 1000 * y + 1000000 * z");
    let request = Sample {
        region: Some(region([0.0; 3], [999.0, 699.0, 1.0], &[1000, 700, 2])),
        ..sample(id, Format::F64)
    };
    let (_, bytes) = written(&service, request, None);
    assert_eq!(bytes.len(), 8 * 1_400_000);
    for (place, number) in bytes.chunks_exact(8).enumerate() {
        let number = f64::from_le_bytes(number.try_into().expect("eight bytes"));
        let expected = place % 1000 + place / 1000 % 700 * 1000 + place / 700_000 * 1_000_000;
        assert_eq!(number.to_bits(), (expected as f64).to_bits());
    }
}

#[test]
fn several_numbers_of_a_point_stand_together() {
    let service = Service::default();
    let id = add(&service, "f", "shape = x * y; color = vec3(x, y, 7)");
    let request = Sample {
        region: Some(region([2.0, 3.0, 0.0], [4.0, 3.0, 0.0], &[2, 1, 1])),
        gradient: true,
        ..sample(id, Format::Csv)
    };
    let (sampled, text) = written(&service, request.clone(), None);
    let head = "shape,color.x,color.y,color.z,\
                shape/pos.x,shape/pos.y,shape/pos.z,color.x/pos.x,color.x/pos.y,color.x/pos.z,\
                color.y/pos.x,color.y/pos.y,color.y/pos.z,color.z/pos.x,color.z/pos.y,color.z/pos.z";
    assert_eq!(sampled.columns.join(","), head);
    let expected = format!(
        "pos.x,pos.y,pos.z,{head}\n\
         2.0,3.0,0.0,6.0,2.0,3.0,7.0,3.0,2.0,0.0,1.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0\n\
         4.0,3.0,0.0,12.0,4.0,3.0,7.0,3.0,4.0,0.0,1.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0\n"
    );
    assert_eq!(String::from_utf8(text).expect("a text"), expected);
    let array = Sample {
        format: Format::Npy,
        ..request
    };
    let (_, bytes) = written(&service, array, None);
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("'shape': (1, 1, 2, 16), }"));
}

#[test]
fn points_of_a_file_fill_the_inputs_that_are_not_given() {
    let service = Service::default();
    let id = add(&service, "f", "a * x + b");
    let points = |columns: &[&[f64]]| {
        Some(Points::new(
            columns.iter().map(|column| column.to_vec()).collect(),
        ))
    };
    let request = |arguments: Json| Sample {
        arguments: Some(arguments),
        ..sample(id, Format::Csv)
    };
    let three: [&[f64]; 3] = [&[1.0, 2.0], &[0.0, 0.0], &[0.0, 0.0]];
    let upper = request(json!({ "A": 10, "b": 1 }));
    let (_, text) = written(&service, upper, points(&three));
    let expected = "pos.x,pos.y,pos.z,shape\n1.0,0.0,0.0,11.0\n2.0,0.0,0.0,21.0\n";
    assert_eq!(String::from_utf8_lossy(&text), expected);
    let check = |sample: Sample, columns: &[&[f64]], expected: &str| {
        let refusal = service
            .sampling_at(sample, points(columns))
            .expect_err(expected);
        assert_eq!(refusal.message, expected);
    };
    check(
        request(json!({ "b": 1 })),
        &three,
        "each point has 3 numbers, but the inputs without an argument have 4: pos: float3, a: float",
    );
    let both = Sample {
        region: Some(region([0.0; 3], [1.0; 3], &[2])),
        ..request(json!({}))
    };
    let message = "the points are given twice: as a region and as a list";
    check(both, &three, message);
}

/// A disk without room.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn work_that_is_not_wanted_ends() {
    let service = Service::new(&with_defaults!(Options, most_work: u64::MAX));
    let id = add(&service, "f", "sin(x) * cos(y) * exp(z)");
    let request = Sample {
        region: Some(region([0.0; 3], [1.0; 3], &[1 << 16, 1 << 16, 1 << 16])),
        ..sample(id, Format::F64)
    };
    let ready = service
        .sampling(request)
        .and_then(|sampling| sampling.prepare(SamplingOptions::default()))
        .expect("it can be begun");
    let mut told = 0;
    let mut watch = |done: u64, total: u64| {
        assert!(done <= total && total == 1 << 48);
        told += 1;
        stop_if(told > 2)
    };
    let refusal = ready
        .write(Format::F32, &mut std::io::sink(), &mut watch)
        .expect_err("it was ended");
    assert_eq!(refusal.code, "cancelled");
    let refusal = ready
        .write(
            Format::F32,
            &mut Full,
            &mut |_, _| ControlFlow::Continue(()),
        )
        .expect_err("it is full");
    assert_eq!(refusal.code, "unwritable_file");
}

#[test]
fn what_is_missing_is_told_before_anything_is_written() {
    let service = Service::default();
    let id = add(&service, "f", "x");
    let edits = json!([{ "create_node": { "function_id": id, "node_type": "Sine", "node_id": "$s" } }, {
        "create_link": { "function_id": id, "source_node_id": "$s", "source_port_name": "result",
            "target_node_id": 0, "target_parameter_name": "shape", "replace": true }
    }]);
    apply(&service, edits).expect("they may be made");
    let request = Sample {
        region: Some(region([0.0; 3], [1.0; 3], &[2])),
        ..sample(id, Format::F64)
    };
    let refusal = service
        .sampling(request)
        .and_then(|sampling| sampling.prepare(SamplingOptions::default()))
        .expect_err("A is missing");
    assert_eq!(refusal.code, "missing_input");
}
