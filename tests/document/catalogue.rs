//! Laws that hold for every node kind: loops over the catalogue.

use std::collections::BTreeMap;

use approx::relative_eq;
use fibula::eval::Tape;
use fibula::graph::{FunctionData, FunctionId, NodeData, NodeId};
use fibula_nodes::example::World;
use fibula_nodes::{
    Bundle, Example, Kernel, KindInfo, Lowering, Node, PortSpec, Type, Value, catalogue,
};

/// Every law broken by a kind, in words.
fn faults(about: &KindInfo) -> Vec<String> {
    let mut faults = Vec::new();
    let mut law = |holds: bool, what: &str| {
        if !holds {
            faults.push(format!("{}: {what}", about.name));
        }
    };
    let node = (about.make)();
    let json = serde_json::to_value(&node).unwrap();
    law(json["type"] == about.name, "the tag is the name");
    let back: Box<dyn Node> = serde_json::from_value(json.clone()).unwrap();
    let again = serde_json::to_value(&back).unwrap();
    law(again == json, "serde round trip");
    let summary = about.summary();
    check_each! { law;
        summary.ends_with('.') && summary.len() <= 120 => "the summary is one short sentence";
        about.doc.starts_with(char::is_uppercase) || about.doc.starts_with('`') => "a capital first";
        !about.examples.is_empty() => "at least one example";
    }
    let signature = &about.signature;
    law(!signature.overloads.is_empty(), "at least one overload");
    for rule in &signature.overloads {
        let [inputs, outputs] = [rule.inputs.len(), rule.outputs.len()];
        law(inputs == signature.parameters.len(), "a type per parameter");
        law(outputs == signature.ports.len(), "a type per port");
    }
    for example in &about.examples {
        let fits = rule_of(about, example).is_some();
        law(fits, "each example fits an overload");
        match lowered(about, example) {
            Ok(values) => law(
                agree(&values, &example.outputs),
                "each example gives its value",
            ),
            Err(error) => law(false, &format!("an example is refused: {error}")),
        }
    }
    for rule in &signature.overloads {
        let keeps_widths = widths_kept(about, &rule.inputs, &rule.outputs);
        law(keeps_widths, "each overload lowers to its types");
    }
    faults
}

fn rule_of(about: &KindInfo, example: &Example) -> Option<usize> {
    let types = |values: &[Value]| values.iter().map(Value::ty).collect::<Vec<_>>();
    about.signature.overloads.iter().position(|rule| {
        rule.inputs == types(&example.inputs) && rule.outputs == types(&example.outputs)
    })
}

fn agree(got: &[Value], expected: &[Value]) -> bool {
    got.len() == expected.len()
        && got.iter().zip(expected).all(|(got, expected)| {
            got.ty() == expected.ty()
                && (got == expected || !got.scalars().is_empty())
                && got
                    .scalars()
                    .iter()
                    .zip(expected.scalars())
                    .all(|(&a, &b)| same(a, b))
        })
}

/// Equal, both NaN, or as close as the last digits of an example are: gradients are differences.
#[expect(clippy::float_cmp, reason = "infinities are equal to themselves only")]
fn same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || relative_eq!(a, b, epsilon = 1e-9, max_relative = 1e-9)
}

/// The example's outputs by lowering the node alone.
fn lowered(about: &KindInfo, example: &Example) -> Result<Vec<Value>, String> {
    let mut kernel = Kernel::new();
    let inputs: Vec<_> = example
        .inputs
        .iter()
        .map(|value| Bundle::constant(value, &mut kernel))
        .collect();
    // A begin has no parameters: the function's arguments are what it passes on.
    let inputs = if about.name == "Begin" {
        example
            .outputs
            .iter()
            .map(|value| Bundle::constant(value, &mut kernel))
            .collect()
    } else {
        inputs
    };
    let node = following(about);
    let outputs = node
        .lower(
            &inputs,
            &mut Lowering {
                kernel: &mut kernel,
                scope: &mut World,
            },
        )
        .map_err(|error| error.to_string())?;
    let outputs = if about.name == "End" {
        Vec::new()
    } else {
        outputs
    };
    let mut values: Vec<f64> = Vec::new();
    for operation in kernel.operations() {
        values.push(operation.apply(&values, &[], kernel.oracles()));
    }
    Ok(outputs
        .iter()
        .map(|bundle| match bundle {
            Bundle::Integer(number) => Value::Integer(*number),
            Bundle::String(text) => Value::String(text.to_string()),
            Bundle::ResourceId(id) => Value::ResourceId(*id),
            Bundle::Float(_) | Bundle::Float3(_) | Bundle::Matrix4x4(_) => {
                let scalars: Vec<f64> = bundle
                    .scalars()
                    .iter()
                    .map(|expr| values[expr.index()])
                    .collect();
                Value::from_scalars(bundle.ty(), &scalars).unwrap()
            }
        })
        .collect())
}

/// A node of the kind; one that follows a function follows that of the examples.
fn following(about: &KindInfo) -> Box<dyn Node> {
    let node = (about.make)();
    node.with_callee(&fibula_nodes::example::ball())
        .unwrap_or(node)
}

/// True if variables of the input types lower to bundles of the output types.
fn widths_kept(about: &KindInfo, inputs: &[Type], outputs: &[Type]) -> bool {
    let mut kernel = Kernel::new();
    let mut next = 0;
    let mut variable = |kernel: &mut Kernel| {
        next += 1;
        kernel.variable(next - 1)
    };
    let Some(example) = about.examples.first() else {
        return false;
    };
    let bundles: Vec<Bundle> = inputs
        .iter()
        .enumerate()
        .map(|(place, ty)| match ty {
            Type::Float if about.signature.parameters[place].default.is_some() => {
                Bundle::constant(&example.inputs[place], &mut kernel)
            }
            Type::Float => Bundle::Float(variable(&mut kernel)),
            Type::Float3 => Bundle::Float3(std::array::from_fn(|_| variable(&mut kernel))),
            Type::Matrix4x4 => Bundle::Matrix4x4(std::array::from_fn(|_| variable(&mut kernel))),
            Type::Integer | Type::String | Type::ResourceId => {
                Bundle::constant(&example.inputs[place], &mut kernel)
            }
        })
        .collect();
    let bundles = if about.name == "Begin" {
        outputs
            .iter()
            .map(|_| Bundle::Float3(std::array::from_fn(|_| variable(&mut kernel))))
            .collect()
    } else {
        bundles
    };
    let node = following(about);
    let lowered = node.lower(
        &bundles,
        &mut Lowering {
            kernel: &mut kernel,
            scope: &mut World,
        },
    );
    let expected = if about.name == "End" { inputs } else { outputs };
    lowered.is_ok_and(|lowered| lowered.iter().map(Bundle::ty).eq(expected.iter().copied()))
}

#[test]
fn every_kind_keeps_every_law() {
    let faults: Vec<String> = catalogue::catalogue()
        .iter()
        .flat_map(|about| faults(about))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn names_elements_and_aliases_are_unique() {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for about in catalogue::catalogue() {
        let mut own: Vec<String> = [about.name, about.element]
            .into_iter()
            .chain(about.aliases.iter().copied())
            .map(str::to_ascii_lowercase)
            .collect();
        own.sort_unstable();
        own.dedup();
        for name in own {
            if let Some(other) = seen.insert(name.clone(), about.name) {
                panic!("'{name}' means both {other} and {}", about.name);
            }
        }
        for name in [about.name, about.element].iter().chain(about.aliases) {
            assert_eq!(catalogue::kind(name).unwrap().name, about.name);
        }
        if about.native {
            let found = catalogue::by_element(about.element).unwrap();
            assert_eq!(found.name, about.name);
        }
    }
}

#[test]
fn the_catalogue_is_what_typetag_knows() {
    // typetag names every tag that it knows in the message of an unknown one.
    let error = serde_json::from_str::<Box<dyn Node>>(r#"{"type":"NoSuchKind"}"#).unwrap_err();
    let text = error.to_string();
    let (_, list) = text
        .split_once("expected one of ")
        .expect("typetag lists its tags");
    let mut tags: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    tags.sort_unstable();
    let mut names: Vec<&str> = catalogue::catalogue()
        .iter()
        .map(|about| about.name)
        .collect();
    names.sort_unstable();
    assert_eq!(tags, names);
}

#[test]
fn there_is_a_kind_for_every_native_element() {
    let elements = "abs acos addition asin atan atan2 beamlattice ceil clamp composematrix composevector \
        constant constmat constresourceid constvec cos cosh cross decomposevector division dot exp floor fmod \
        fract functioncall functiongradient inverse length log log10 log2 matrixfromcolumns matrixfromrows \
        matvecmultiplication max mesh min mod multiplication normalizedistance pow round select sign sin sinh sqrt \
        subtraction tan tanh transpose unsignedmesh vectorfromscalar arcsin arccos arctan arctan2";
    for element in elements.split_whitespace() {
        assert!(catalogue::by_element(element).is_some(), "{element}");
    }
    for helper in [
        "Transformation",
        "BoxMinMax",
        "DecomposeMatrix",
        "ImageSampler",
    ] {
        assert!(!catalogue::kind(helper).unwrap().native, "{helper}");
    }
}

/// A function with one node of the kind, its parameters holding the example's inputs.
fn with_literals(about: &KindInfo, example: &Example) -> FunctionData {
    let outputs: Vec<PortSpec> = about
        .signature
        .ports
        .iter()
        .zip(&example.outputs)
        .map(|(port, value)| PortSpec::new(port.name.as_ref(), value.ty()))
        .collect();
    let mut node = NodeData::new(NodeId(1), about.name);
    for (parameter, value) in about.signature.parameters.iter().zip(&example.inputs) {
        node = node.value(&parameter.name, value.to_json());
    }
    let mut end = NodeData::new(NodeId::END, "End");
    for port in &outputs {
        end = end.link(&port.name, NodeId(1), &port.name);
    }
    FunctionData {
        function_id: Some(FunctionId(10)),
        name: format!("Example of {}", about.name),
        inputs: Vec::new(),
        outputs,
        nodes: vec![node, end],
    }
}

/// A function with one node of the kind, its varying parameters linked to the function's inputs.
fn with_inputs(about: &KindInfo, example: &Example) -> FunctionData {
    let mut data = with_literals(about, example);
    let mut node = NodeData::new(NodeId(1), about.name);
    for (parameter, value) in about.signature.parameters.iter().zip(&example.inputs) {
        if value.ty().width() > 0 && parameter.default.is_none() {
            data.inputs
                .push(PortSpec::new(parameter.name.as_ref(), value.ty()));
            node = node.link(&parameter.name, NodeId(2), &parameter.name);
        } else {
            node = node.value(&parameter.name, value.to_json());
        }
    }
    data.nodes[0] = node;
    if !data.inputs.is_empty() {
        data.nodes.push(NodeData::new(NodeId(2), "Begin"));
    }
    data
}

#[test]
fn every_example_gives_its_value_in_a_function() {
    for about in catalogue::catalogue() {
        if matches!(about.name, "Begin" | "End") {
            continue;
        }
        for example in &about.examples {
            // NaN is no literal, so such an example is only given as an argument.
            if example.inputs.iter().all(Value::is_finite) {
                let mut document = crate::world::document();
                let id = document.insert(&with_literals(about, example)).unwrap();
                let values = Tape::new(&document, id).unwrap().values(&[]).unwrap();
                let name = about.name;
                assert!(agree(&values, &example.outputs), "{name}: {values:?}");
            }

            let mut document = crate::world::document();
            let data = with_inputs(about, example);
            let arguments: Vec<Value> = about
                .signature
                .parameters
                .iter()
                .zip(&example.inputs)
                .filter(|(parameter, value)| value.ty().width() > 0 && parameter.default.is_none())
                .map(|(_, value)| value.clone())
                .collect();
            let id = document.insert(&data).unwrap();
            let tape = Tape::new(&document, id).unwrap();
            let values = tape.values(&arguments).unwrap();
            assert!(
                agree(&values, &example.outputs),
                "{} linked: {values:?}",
                about.name
            );
            let trace = fibula::eval::trace(&document, id, &arguments).unwrap();
            let traced = trace.outputs.into_iter().map(|output| output.value);
            let traced: Vec<Value> = traced.collect();
            assert!(
                agree(&traced, &example.outputs),
                "{} traced: {traced:?}",
                about.name
            );
            let stored = document.function(id).unwrap().data();
            let again = document.build(&stored).unwrap().data();
            assert_eq!(again, stored, "{}", about.name);
        }
    }
}

#[test]
fn the_laws_reject_a_bad_kind() {
    let good = catalogue::kind("Sine").unwrap();
    let bad = |change: &dyn Fn(&mut KindInfo)| {
        let mut about = KindInfo {
            name: good.name,
            element: good.element,
            native: good.native,
            aliases: good.aliases,
            family: good.family,
            doc: good.doc,
            signature: good.signature.clone(),
            examples: good.examples.clone(),
            make: good.make,
        };
        change(&mut about);
        faults(&about)
    };
    assert!(bad(&|_| ()).is_empty());
    assert!(!bad(&|about| about.name = "Sinus").is_empty());
    assert!(!bad(&|about| about.doc = "no sentence").is_empty());
    assert!(!bad(&|about| about.examples.clear()).is_empty());
    assert!(!bad(&|about| about.examples[0].outputs[0] = Value::Float(0.5)).is_empty());
    assert!(!bad(&|about| about.signature.overloads[1].outputs[0] = Type::Float).is_empty());
}
